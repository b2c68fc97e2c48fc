// Measures reads of prompts while the server also ingests scores. The reads and the scores come at fixed rates. The duration of a read is
// the time from its planned start to its response. In 5 % of the reads, the prompt that is read depends on a second prompt, which the
// server also resolves. The store is embedded. Run `npm run bench -- prompts -- [--rate 500] [--seconds 15] [--scores 200]`. `--rate` and
// `--scores` are numbers per second.
import { Agent, request as httpRequest } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { quantile } from '@svc-server/testkit'
import { openResources } from '../test/resources.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '15' },
    scores: { type: 'string', default: '200' },
  },
})
const [rate, seconds, scores] = [Number(values.rate), Number(values.seconds), Number(values.scores)]
const promptCount = 200
const perBatch = 20

const opened = await openResources()
for (let at = 0; at < promptCount; at++) {
  const prompt =
    at % 20 === 1 ? `Before @@@svcPrompt:name=prompt-${at - 1}|label=production@@@` : `Answer {{question}} shortly. ${'x'.repeat(1_500)}`
  const { status } = await opened.send('POST', '/v2/prompts', { name: `prompt-${at}`, prompt, labels: ['production'] })
  if (status !== 201) throw new Error(`A prompt was not made: ${status}`)
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
function send(method: string, path: string, body?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: opened.authorization, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = httpRequest(
      { host: '127.0.0.1', port: opened.api.port, path: `/api/public${path}`, method, headers, agent },
      response => {
        response.resume()
        response.on('error', reject)
        response.on('end', () => (response.statusCode! < 300 ? resolve() : reject(new Error(`${path} ${response.statusCode}`))))
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** Calls `work` at a fixed rate. No call waits for the end of an earlier call. */
async function atRate(perSecond: number, forSeconds: number, work: (at: number) => Promise<void>): Promise<readonly number[]> {
  const startedMs = performance.now()
  const running: Promise<number>[] = []
  while (running.length < perSecond * forSeconds) {
    const due = Math.min(Math.floor(((performance.now() - startedMs) / 1_000) * perSecond), perSecond * forSeconds)
    while (running.length < due) {
      const at = running.length
      const dueMs = startedMs + (at / perSecond) * 1_000
      running.push(work(at).then(() => performance.now() - dueMs))
    }
    await setTimeout(1)
  }
  return Promise.all(running)
}

const read = (at: number) => send('GET', `/v2/prompts/prompt-${(at * 7) % promptCount}`)
const written = (at: number) =>
  JSON.stringify(Array.from({ length: perBatch }, (_, n) => ({ id: `s-${at}-${n}`, traceId: `t-${at}`, name: 'quality', value: n })))
const write = (at: number) => send('POST', '/scores', written(at))

const rounded = (number: number) => Number(number.toFixed(2))
const sharesOf = (taken: readonly number[]) => {
  const sorted = taken.toSorted((a, b) => a - b)
  const share = (part: number) => rounded(quantile(sorted, part))
  return { p50Ms: share(0.5), p95Ms: share(0.95), p99Ms: share(0.99), maxMs: share(1) }
}

await atRate(rate, 2, read)
const before = process.cpuUsage()
const alone = sharesOf(await atRate(rate, seconds, read))
const { user, system } = process.cpuUsage(before)
/** CPU time per read, including the time of the client, which runs in this process, too. */
const cpuMsPerRead = rounded((user + system) / 1_000 / (rate * seconds))
const [beside] = await Promise.all([atRate(rate, seconds, read), atRate(scores / perBatch, seconds, write)])
const result = {
  bench: 'prompts',
  machine: { cpus: cpus().length, model: cpus()[0]?.model, load: loadavg().map(rounded) },
  ...{ rate, seconds, scores, cpuMsPerRead, alone, besideIngestion: sharesOf(beside) },
}
const { p95Ms } = result.besideIngestion
process.stdout.write(
  `${rate} reads of prompts per second beside ${scores} scores: p95 ${p95Ms} ms, ${rounded(p95Ms / alone.p95Ms)} times the p95 without scores; ${cpuMsPerRead} ms of CPU per read.\n`,
)
process.stdout.write(`${JSON.stringify(result)}\n`)
agent.destroy()
await opened[Symbol.asyncDispose]()
