// A collector for trace requests. The collector stores the bodies and headers without changes.
import { createServer } from 'node:http'

const emptyAnswer = { 'application/json': '{"partialSuccess":{}}', 'application/x-protobuf': '' }

// Headers that depend on the recorder and not on the client.
const ownHeaders = new Set(['host', 'connection', 'keep-alive'])

function headersAsSent(rawHeaders) {
  const headers = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!ownHeaders.has(rawHeaders[i].toLowerCase())) headers[rawHeaders[i]] = rawHeaders[i + 1]
  }
  return headers
}

/** Starts the collector. `take()` returns the trace requests that have arrived since the previous call of `take()`. */
export async function startCollector() {
  let requests = []
  const server = createServer(async (req, res) => {
    const chunks = []
    for await (const chunk of req) chunks.push(chunk)
    const contentType = (req.headers['content-type'] ?? '').split(';')[0].trim()
    if (req.url.endsWith('/v1/traces')) requests.push({ headers: headersAsSent(req.rawHeaders), contentType, body: Buffer.concat(chunks) })
    res.writeHead(200, { 'content-type': contentType }).end(emptyAnswer[contentType] ?? '{}')
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    take() {
      const taken = requests
      requests = []
      return taken
    },
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}
