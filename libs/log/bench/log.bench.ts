// Measures the embedded log: append MB/s with latency, read MB/s, event-loop stalls, and the file's size under retention. As the baseline,
// the bench writes the same bytes with `write` and `fdatasync` only. The bench prints one JSON line.
import { fdatasync, rmSync, statSync, write } from 'node:fs'
import { mkdtemp, open } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { quantile } from '@svc-server/testkit'
import { openEmbeddedLog } from '../src/embedded/log.ts'
import type { TopicSpec } from '../src/port.ts'

const MB = 1e6
const megabytes = Number(process.argv[2] ?? 600)
const recordBytes = Number(process.argv[3] ?? 100_000)
const producers = Number(process.argv[4] ?? 16)

const topic = (overrides: Partial<TopicSpec>): TopicSpec => ({
  name: 'spans',
  partitions: 8,
  cleanup: 'delete',
  retentionMs: 3_600_000,
  maxRecordBytes: 8 << 20,
  readers: ['writer'],
  ...overrides,
})

const noise = Buffer.alloc(8 << 20)
for (let i = 0; i < noise.length; i += 4) noise.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, i)
const valueAt = (i: number) => noise.subarray((i * 4096) % (noise.length - recordBytes)).subarray(0, recordBytes)

const round = (value: number, digits = 1) => Number(value.toFixed(digits))

function watchStalls() {
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  return () => {
    clearInterval(timer)
    return round(longest)
  }
}

async function reference(directory: string): Promise<number> {
  const file = await open(join(directory, 'reference'), 'w')
  const chunk = Buffer.concat(Array.from({ length: producers }, (_, i) => valueAt(i)))
  const started = performance.now()
  let written = 0
  while (written < megabytes * MB) {
    crc32(chunk)
    await promisify(write)(file.fd, chunk)
    await promisify(fdatasync)(file.fd)
    written += chunk.length
  }
  const rate = written / MB / ((performance.now() - started) / 1000)
  await file.close()
  rmSync(join(directory, 'reference'))
  return round(rate)
}

async function appendAndRead(directory: string) {
  const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics: [topic({})] })
  const acks: number[] = []
  let sent = 0
  let stalls = watchStalls()
  const cpu = process.cpuUsage()
  const started = performance.now()
  await Promise.all(
    Array.from({ length: producers }, async () => {
      while (sent < megabytes * MB) {
        const value = valueAt(sent / recordBytes)
        sent += recordBytes
        const asked = performance.now()
        await log.append('spans', [{ key: null, value }])
        acks.push(performance.now() - asked)
      }
    }),
  )
  const appendSeconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const appendStall = stalls()
  acks.sort((a, b) => a - b)

  stalls = watchStalls()
  const readStarted = performance.now()
  let read = 0
  await new Promise<void>((resolve, reject) => {
    void log.consume({
      group: 'writer',
      topics: ['spans'],
      minBytes: 24 << 20,
      maxWaitMs: 100,
      maxBatchBytes: 24 << 20,
      concurrency: 2,
      onFatal: reject,
      async onBatch(batch, context) {
        for (const { value } of batch.records) read += value?.length ?? 0
        await context.commit(batch.nextOffset, '')
        if (read >= sent) resolve()
        return { kind: 'done' }
      },
    })
  })
  const readSeconds = (performance.now() - readStarted) / 1000
  const readStall = stalls()
  await log.close()
  return {
    appendMBs: round(sent / MB / appendSeconds),
    ackP50Ms: round(quantile(acks, 0.5)),
    ackP99Ms: round(quantile(acks, 0.99)),
    appendCpuMsPerMB: round((user + system) / 1000 / (sent / MB), 2),
    appendStallMs: appendStall,
    readMBs: round(read / MB / readSeconds),
    readStallMs: readStall,
  }
}

async function churn(directory: string) {
  const limit = 64 * MB
  const spec = topic({ name: 'spans', maxTopicBytes: limit, partitions: 2 })
  const log = await openEmbeddedLog({ directory: join(directory, 'churn'), topics: [spec] })
  const consumer = await log.consume({
    group: 'writer',
    topics: ['spans'],
    minBytes: 4 << 20,
    maxWaitMs: 20,
    maxBatchBytes: 8 << 20,
    concurrency: 2,
    onFatal: error => {
      throw error
    },
    async onBatch(batch, context) {
      await context.commit(batch.nextOffset, '')
      return { kind: 'done' }
    },
  })
  let sent = 0
  let refused = 0
  while (sent < megabytes * MB) {
    const records = Array.from({ length: 8 }, (_, i) => ({
      key: null,
      value: valueAt(i).subarray(0, 20_000 + Math.floor(Math.random() * (recordBytes - 20_000))),
    }))
    try {
      await log.append('spans', records)
      sent += records.reduce((sum, { value }) => sum + value.length, 0)
    } catch {
      refused++
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  await consumer.stop()
  await log.close()
  return {
    limitMB: limit / MB,
    writtenMB: round(sent / MB, 0),
    refused,
    fileMB: round(statSync(join(directory, 'churn/data.mdb')).size / MB),
  }
}

const directory = await mkdtemp(join(tmpdir(), 'svc-log-bench-'))
try {
  const referenceMBs = await reference(directory)
  const result = {
    bench: 'log/embedded',
    machine: `${cpus().length} x ${cpus()[0]?.model}, node ${process.version}`,
    recordBytes,
    producers,
    referenceMBs,
    ...(await appendAndRead(directory)),
    retention: await churn(directory),
    referenceAfterMBs: await reference(directory),
  }
  console.log(JSON.stringify(result))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
