// Sends the flood of requests for `neighbor.bench.ts` and `rows.bench.ts`. The flood runs in its own process, so that it does not slow down
// the process that measures response times.
import { Agent, request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createSpanGenerator, traceRequestJson } from '@svc-server/testkit'
import { dearBodies, dearKinds } from './dear-requests.ts'

const [url = '', authorization = '', kind = 'batches', connections = '8'] = process.argv.slice(2)

interface Kind {
  readonly spans: number
  readonly json?: true
  readonly plain?: true
  readonly version: string
}
const kinds: Readonly<Record<string, Kind>> = {
  batches: { spans: 100, version: '4' },
  small: { spans: 10, version: '4' },
  large: { spans: 2000, version: '4' },
  json: { spans: 100, json: true, plain: true, version: '4' },
  staged: { spans: 100, version: '3' },
}
const isDear = dearKinds.includes(kind)
const { spans, json, plain, version } = isDear ? kinds['batches']! : kinds[kind]!

function usualBodies(): readonly Uint8Array[] {
  const generator = createSpanGenerator({ seed: `flood ${kind}`, startTimeMs: Date.now() - 60_000, spansPerRequest: spans })
  return Array.from({ length: Math.max(4, Math.ceil(6000 / spans)) }, () => {
    const next = generator.next()
    return json ? Buffer.from(traceRequestJson(next.request)) : next.protobuf
  })
}
const bodies = (isDear ? dearBodies(kind) : usualBodies()).map(bytes => (plain ? bytes : gzipSync(bytes, { level: 1 })))
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const headers = {
  authorization,
  'content-type': json ? 'application/json' : 'application/x-protobuf',
  ...(plain ? {} : { 'content-encoding': 'gzip' }),
  'x-svc-ingestion-version': version,
}
const answers: Record<string, number> = {}
let going = true

const post = (body: Uint8Array) =>
  new Promise<number>(done => {
    const outgoing = httpRequest(
      url,
      { agent, method: 'POST', headers: { ...headers, 'content-length': String(body.length) } },
      response => {
        response.resume().on('end', () => done(response.statusCode ?? 0))
      },
    )
    outgoing.on('error', () => done(0))
    outgoing.end(body)
  })

process.on('disconnect', () => process.exit(0))
process.on('message', () => {
  going = false
})
process.send?.({ bytes: bodies[0]!.length })
await Promise.all(
  Array.from({ length: Number(connections) }, async (_, lane) => {
    for (let at = lane; going; at++) {
      const status = await post(bodies[at % bodies.length]!)
      answers[status] = (answers[status] ?? 0) + 1
      if (status !== 200) await new Promise(resume => setTimeout(resume, 50))
    }
  }),
)
process.send?.({ answers })
process.disconnect?.()
