// clients.mjs MODULES SHELFD SOCKET ROOT SDK: what a real client does over `shelfd connect`. ROOT is the folder of the
// shelf "library"; SDK is v1, v2 or v2-2026 (the second speaking the revision without a handshake). One line a step.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [modules, shelfd, socket, root, sdk] = process.argv.slice(2);
const require = createRequire(path.join(modules, "x.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client } = sdk === "v1" ? await load("@modelcontextprotocol/sdk/client/index.js") : await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load(sdk === "v1" ? "@modelcontextprotocol/sdk/client/stdio.js" : "@modelcontextprotocol/client/stdio");
const Ajv = (await load("ajv/dist/2020.js")).default;
const stateless = sdk === "v2-2026";

const limit = 30_000;
async function connect(heard = () => {}) {
  const client = new Client({ name: "ci", version: "1" }, stateless ? { versionNegotiation: { mode: "auto" } } : {});
  client.fallbackNotificationHandler = async (n) => heard(n.method.replace("notifications/", ""), n.params ?? {});
  await client.connect(new StdioClientTransport({ command: shelfd, args: ["connect", "--socket", socket], env: process.env }));
  return client;
}

const call = (client, name, args, options) => client.callTool({ name, arguments: args }, ...(sdk === "v1" ? [undefined] : []), { timeout: limit, ...options });
const data = (result) => {
  assert.equal(result.content.length, 1);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.ok(!result.isError, result.content[0].text);
  return result.structuredContent.data;
};
const quiet = (ms) => new Promise((done) => setTimeout(done, ms));
async function until(what, condition) {
  for (const end = Date.now() + limit; !condition(); await quiet(10)) assert.ok(Date.now() < end, `waited too long for ${what}`);
}

let steps = 0;
async function step(name, f) {
  const start = Date.now();
  const told = await f();
  steps++;
  console.log(`  ${name}${told ? `: ${told}` : ""} (${Date.now() - start} ms)`);
}

const heard = [];
const client = await connect((method, params) => heard.push({ method, uri: params.uri }));
const count = (method, uri) => heard.filter((n) => n.method === method && (!uri || n.uri === uri)).length;

let tools;
await step("lists tools", async () => {
  ({ tools } = await client.listTools());
  for (const t of tools) assert.ok(t.description && t.inputSchema && t.outputSchema && t.annotations, t.name);
  return tools.map((t) => t.name).join(", ");
});

await step("calls every tool, and each answer is what its schema says", async () => {
  const page = "library/manuals/valves.md";
  const { content_hash } = data(await call(client, "get_document", { doc_path: page }));
  const { nodes } = data(await call(client, "get_document_structure", { doc_path: page }));
  const { hits } = data(await call(client, "search_documents", { query: "valve", doc_path: page }));
  const calls = {
    browse_documents: {},
    get_document: { doc_path: page },
    get_document_structure: { doc_path: page },
    get_node_content: { doc_path: page, node_ids: [nodes[0].node_id] },
    search_documents: { query: "valve", detail: "evidence" },
    get_chunk: { citation: hits[0].citation },
    related_documents: { doc_path: page },
    save_outline: { doc_path: page, source_hash: content_hash, summary: "How the valves of the plant are set, tested and replaced, by whom and when.", sections: [] },
    docs_management: { action: "manage_shelves", operation: "list" },
    sync: {},
  };
  const ajv = new Ajv({ strict: false });
  for (const t of tools) {
    assert.ok(calls[t.name], `no call for the tool ${t.name}`);
    const result = await call(client, t.name, calls[t.name]);
    data(result);
    const valid = ajv.compile(t.outputSchema);
    assert.ok(valid(result.structuredContent), `${t.name}: ${ajv.errorsText(valid.errors)}`);
    assert.ok(ajv.compile(t.inputSchema)(calls[t.name]), t.name);
  }
  return `${tools.length} tools`;
});

await step("reads a refusal as a result", async () => {
  const result = await call(client, "get_document", { doc_path: "library/manuals/valve.md" });
  assert.ok(result.isError);
  assert.ok(result.structuredContent.details.nearest.includes("library/manuals/valves.md"));
});

const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
};
const many = (folder, n) => {
  for (let i = 0; i < n; i++) write(`${folder}/${i}.md`, `# Number ${i} of ${folder}\n\n${"Some words about the boiler and its valves. ".repeat(40)}\n`);
};

await step("sees progress that rises and ends with the answer", async () => {
  const seen = [];
  many("progress", 1500);
  const { shelves } = data(await call(client, "sync", {}, { onprogress: (p) => seen.push(p.progress), timeout: 120_000 }));
  const before = seen.length;
  assert.deepEqual(seen, [...seen].sort((a, b) => a - b));
  assert.ok(before > 0, "no progress was told");
  await quiet(300);
  assert.equal(seen.length, before, "progress after the answer");
  return `${before} times up to ${seen.at(-1)} for ${shelves[0].documents} documents`;
});

await step("cancels a call and goes on", async () => {
  many("cancel", 1500);
  const abort = new AbortController();
  const syncing = call(client, "sync", {}, { signal: abort.signal, timeout: 120_000 });
  const refused = assert.rejects(syncing);
  await quiet(50);
  abort.abort();
  await refused;
  const start = Date.now();
  data(await call(client, "browse_documents", {}));
  return `the next call took ${Date.now() - start} ms`;
});

const uri = "shelf://library/manuals/valves.md";
let stream;
await step("subscribes to a document and hears once of one save", async () => {
  data(await call(client, "sync", {}, { timeout: 120_000 }));
  if (stateless) {
    stream = await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
    assert.deepEqual(stream.honoredFilter.resourceSubscriptions, [uri]);
  } else {
    await client.subscribeResource({ uri });
  }
  await quiet(1500); // what the many files before still have to tell
  heard.length = 0;
  for (let i = 1; i <= 3; i++) {
    fs.appendFileSync(path.join(root, "manuals/valves.md"), `\nLine ${i}.\n`);
    await until("an update", () => count("resources/updated", uri) >= i);
    await quiet(400);
    assert.equal(count("resources/updated", uri), i, "updates for as many saves");
  }
  assert.equal(heard.length, 3, JSON.stringify(heard));
  const { contents } = await client.readResource({ uri });
  assert.ok(contents[0].text.includes("Line 3."));
});

await step("hears once that the list changed", async () => {
  write("new.md", "# New\n");
  await until("list_changed", () => count("resources/list_changed") > 0);
  await quiet(1300);
  assert.equal(count("resources/list_changed"), 1);
});

await step("pages through all resources", async () => {
  let cursor, pages = 0;
  const uris = new Set();
  do {
    const page = await client.listResources(cursor ? { cursor } : {});
    for (const r of page.resources) uris.add(r.uri);
    cursor = page.nextCursor;
    pages++;
  } while (cursor && pages < 1000);
  assert.ok(uris.has("shelf://library/new.md") && uris.size > 3000, `${uris.size} resources`);
  return `${uris.size} resources, ${pages} calls`;
});

await step("uses the template, completion and prompts", async () => {
  const { resourceTemplates } = await client.listResourceTemplates();
  const ref = { type: "ref/resource", uri: resourceTemplates[0].uriTemplate };
  const { completion } = await client.complete({ ref, argument: { name: "path", value: "manuals/v" }, context: { arguments: { shelf: "library" } } });
  assert.deepEqual(completion.values, ["manuals/valves.md"]);
  const { prompts } = await client.listPrompts();
  for (const p of prompts) {
    const args = Object.fromEntries((p.arguments ?? []).map((a) => [a.name, a.name === "doc_path" ? "library/faq.md" : "library"]));
    const { messages } = await client.getPrompt({ name: p.name, arguments: args });
    assert.ok(messages.length > 0);
  }
  return prompts.map((p) => p.name).join(", ");
});

await step("50 clients at once", async () => {
  const start = Date.now();
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect()));
  const connected = Date.now() - start;
  await Promise.all(clients.map(async (c, n) => {
    for (let i = 0; i < 20; i++) {
      const { documents } = data(await call(c, "browse_documents", { folder: n % 2 ? "library/manuals" : "library/notes" }));
      assert.ok(documents.length > 0);
    }
  }));
  const took = Date.now() - start - connected;
  await Promise.all(clients.map((c) => c.close()));
  return `connected in ${connected} ms, ${Math.round(1_000_000 / took)} calls a second`;
});

if (stream) await stream.close();
await client.close();
fs.rmSync(path.join(root, "progress"), { recursive: true });
fs.rmSync(path.join(root, "cancel"), { recursive: true });
fs.rmSync(path.join(root, "new.md"));
console.log(`  ${steps} steps`);
