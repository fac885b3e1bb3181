// SPDX-License-Identifier: Apache-2.0
// Runs Yosys on one block: node synth.mjs JOB.json LOG
//
// JOB.json: { "sources": [paths], "commands": [Yosys commands], "results": [files that the commands write] }
// The sources appear to Yosys under their own paths, the results are written beside JOB.json. Exit code: that of Yosys.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [jobPath, logPath] = process.argv.slice(2);
const packages = process.env.SYNTH_PACKAGES;
const { Exit, runYosys } = await import(pathToFileURL(join(packages, "@yowasp/yosys/gen/bundle.js")).href);

// The file tree of the package is nested objects: folder -> name -> bytes.
function add(tree, path, bytes) {
  const [head, ...rest] = path;
  if (rest.length === 0) tree[head] = bytes;
  else add((tree[head] ??= {}), rest, bytes);
}

const job = JSON.parse(readFileSync(jobPath, "utf8"));
const files = {};
for (const source of job.sources) add(files, source.split("/"), readFileSync(source));
add(files, ["job.ys"], Buffer.from(job.commands.join("\n") + "\n"));

const log = openSync(logPath, "w");
const write = (bytes) => {
  if (bytes !== null) writeSync(log, bytes);
};
let tree;
let code = 0;
try {
  tree = await runYosys(["-s", "job.ys"], files, { stdout: write, stderr: write });
} catch (error) {
  if (!(error instanceof Exit)) throw error;
  code = error.code;
  tree = error.files;
}
closeSync(log);
for (const name of job.results) if (tree?.[name] !== undefined) writeFileSync(join(dirname(jobPath), name), tree[name]);
process.exit(code);
