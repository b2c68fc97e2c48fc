// Measures the CPU time of this process for appends to Kafka. The bench reports CPU ms per MB and the garbage collector's share. As the
// baseline, the bench sends the same bytes over plain sockets. Usage: node libs/log/bench/produce.bench.ts [MB per round (100)] [record
// bytes (112000)] [appends at once (4)]. The bench prints one JSON object, which lists the CPU time of the broker separately.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { cpus } from 'node:os'
import { PerformanceObserver } from 'node:perf_hooks'
import { startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { processCpuMs } from '@svc-server/testkit'
import { openKafkaLog } from '../src/kafka/log.ts'

const MB = 1e6
const rounds = 5
const [megabytes = 100, recordBytes = 112_000, atOnce = 4] = process.argv.slice(2).map(Number)
const records = Math.ceil((megabytes * MB) / recordBytes)

const noise = Buffer.alloc(8 << 20)
for (let i = 0; i < noise.length; i += 4) noise.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, i)
const valueAt = (i: number) => noise.subarray((i * 4096) % (noise.length - recordBytes)).subarray(0, recordBytes)
const round = (value: number, digits = 2) => Number(value.toFixed(digits))

let collectorMs = 0
const collector = new PerformanceObserver(list => {
  for (const { duration } of list.getEntries()) collectorMs += duration
})
collector.observe({ entryTypes: ['gc'] })

interface Cost {
  readonly cpuMsPerMB: number
  readonly collectorMsPerMB: number
  readonly brokerMsPerMB: number
  readonly MBs: number
}

async function cost(write: (value: Buffer, lane: number) => Promise<unknown>): Promise<Cost> {
  await new Promise(setImmediate)
  collectorMs = 0
  const [brokerBefore, cpu, started] = [brokerCpuMs(), process.cpuUsage(), performance.now()]
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async (_, lane) => {
      while (next < records) await write(valueAt(next++), lane)
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await new Promise(setImmediate)
  const sentMB = (records * recordBytes) / MB
  return {
    cpuMsPerMB: round((user + system) / 1000 / sentMB),
    collectorMsPerMB: round(collectorMs / sentMB),
    brokerMsPerMB: round((brokerCpuMs() - brokerBefore) / sentMB),
    MBs: round(sentMB / seconds, 0),
  }
}

const median = (costs: readonly Cost[]): Cost => costs.toSorted((a, b) => a.cpuMsPerMB - b.cpuMsPerMB)[costs.length >> 1]!

await using cluster = await startKafkaCluster({ own: true })
const brokerCpuMs = () => cluster.pids().reduce((sum, pid) => sum + processCpuMs(pid), 0)
const topics = [
  { name: 'spans', partitions: 8, cleanup: 'delete', retentionMs: 3_600_000, maxRecordBytes: 1_000_000, readers: [] },
] as const
const log = await openKafkaLog({ brokers: cluster.brokers, topics })

const sink = fork(new URL('./sink.ts', import.meta.url), [`${recordBytes}`])
const [{ port }] = (await once(sink, 'message')) as [AddressInfo]
const sockets = await Promise.all(
  Array.from({ length: atOnce }, async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    await once(socket, 'connect')
    return socket
  }),
)

const costs: Record<'reference' | 'append', Cost[]> = { reference: [], append: [] }
// The rounds of Kafka and of plain sockets alternate, so that a busy machine slows down both. The first round is a warm-up.
for (let turn = 0; turn <= rounds; turn++) {
  const reference = await cost(async (value, lane) => {
    sockets[lane]!.write(value)
    await once(sockets[lane]!, 'data')
  })
  const append = await cost(value => log.append('spans', [{ key: null, value }]))
  if (turn === 0) continue
  costs.reference.push(reference)
  costs.append.push(append)
}
for (const socket of sockets) socket.destroy()
sink.disconnect()
await log.close()
collector.disconnect()

const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
const [reference, append] = [median(costs.reference), median(costs.append)]
const appendToReference = round(append.cpuMsPerMB / reference.cpuMsPerMB)
console.log(JSON.stringify({ bench: 'log/produce', machine, recordBytes, atOnce, reference, append, appendToReference }, null, 2))
