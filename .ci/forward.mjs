// forward.mjs PORT PATH: copies bytes between connections to a TCP port of this machine and a Unix socket.
import net from "node:net";

const [port, path] = process.argv.slice(2);
net.createServer({ allowHalfOpen: true }, (client) => {
  const server = net.connect({ path, allowHalfOpen: true });
  client.pipe(server).pipe(client);
  for (const [one, other] of [[client, server], [server, client]]) one.on("error", () => other.destroy());
  for (const [one, other] of [[client, server], [server, client]]) one.on("close", () => other.destroySoon());
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
