// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/noc/noc_bench.hpp"

#include <fmt/format.h>

namespace swai::verif {

NocBench::NocBench(unsigned groups, uint64_t seed) : Bench(seed), groups_(groups) {
  top().select_i = static_cast<CData>(groups - 1);
  top().ini_req_valid_i = 0;
  top().tgt_req_ready_i = 0;
  top().tgt_rsp_valid_i = 0;
  top().fence_i = 0;
}

NodeAgents::NodeAgents(NocBench& bench, RingModel& model, unsigned node,
                       std::function<std::optional<NocRequest>()> next) {
  requests_ = std::make_unique<StreamSource<NocRequest>>(
      bench.request_in(node), bench.random(),
      [this, &model, &bench, node, next]() -> std::optional<NocRequest> {
        auto request = next();
        if (!request || fixed_tags) return request;
        // Few tags make a tag come back soon after it was answered.
        request->tag = static_cast<uint8_t>(bench.random().below(bench.random().chance(20) ? 8 : 256));
        if (!model.tag_is_free(node, request->tag)) return std::nullopt;
        return request;
      });
  requests_->on_taken = [&model, &bench, node](const NocRequest& request) {
    model.taken(node, request, bench.cycle());
  };
  arrivals_ = std::make_unique<StreamSink<NocRequest>>(fmt::format("target {}", node),
                                                       bench.request_out(node), bench.random(),
                                                       [this, &model, node](const NocRequest& request) {
                                                         model.arrived(node, request);
                                                         on_arrival(request);
                                                       });
  answers_ = std::make_unique<StreamSource<NocResponse>>(
      bench.response_in(node), bench.random(),
      [&model, &bench, node] { return model.answer(node, bench.random()); });
  responses_ = std::make_unique<ResponseMonitor>(
      bench, node, [&model, node](const NocResponse& response) { model.responded(node, response); });
  bench.add(*requests_);
  bench.add(*arrivals_);
  bench.add(*answers_);
  bench.add(*responses_);
}

void Fence::drive() {
  if (up_) {
    if (drained_ && left_ > 0) --left_;
    if (drained_ && left_ == 0) up_ = false;
  } else if (enabled && bench_.random().below(500) == 0) {
    up_ = true;
    drained_ = false;
    left_ = bench_.random().below(50);
    ++count_;
  }
  Field(bench_.top().fence_i, node_, 1).set(up_ ? 1 : 0);
  if (up_) model_.fence(node_, bench_.cycle());
}

void Fence::sample() {
  const bool drained = Field(bench_.top().drained_o, node_, 1).get() != 0;
  check(up_ || !drained, "drained without a fence");
  check(!drained_ || !up_ || drained, "drained, and then not");
  if (!drained) return;
  drained_ = true;
  check(model_.waiting(node_) == 0, fmt::format("node {} says drained and waits for answers", node_));
  check(model_.unanswered(node_) == 0, fmt::format("node {} says drained and has not answered all", node_));
  check(!Field(bench_.top().tgt_req_valid_o, node_, 1).get(), "a request passed the fence");
  check(!Field(bench_.top().ini_req_ready_o, node_, 1).get(), "a request was taken behind the fence");
}

}  // namespace swai::verif
