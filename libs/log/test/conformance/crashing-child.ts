// The tests end this process with kill -9. The process appends or commits as fast as it can, and prints each acknowledgement.
import { writeSync } from 'node:fs'
import type { EventLog, TopicSpec } from '../../src/port.ts'

const [work, module, argument, topicsJson] = process.argv.slice(2) as [string, string, string, string]
const topics = JSON.parse(topicsJson) as TopicSpec[]
const { openLog } = (await import(module)) as { openLog(argument: string, topics: readonly TopicSpec[]): Promise<EventLog> }
const log = await openLog(argument, topics)
const say = (line: string) => writeSync(1, `${line}\n`)

async function appendForever(producer: number): Promise<never> {
  for (let number = 0; ; number++) {
    // A label ends with a period, so that the test recognizes a truncated line.
    const labels = [0, 1, 2].map(i => `${process.pid}/${producer}#${number * 3 + i}.`)
    const records = labels.map(label => ({ key: null, value: Buffer.from(label.padEnd(20_000)), partition: producer % 3 }))
    const positions = await log.append('spans', records)
    for (const [i, { partition, offset }] of positions.entries()) say(`${partition} ${offset} ${labels[i]}`)
  }
}

if (work === 'append') {
  await Promise.all([0, 1, 2, 3, 4, 5].map(appendForever))
} else {
  await log.consume({
    group: 'group',
    topics: ['spans'],
    minBytes: 1,
    maxWaitMs: 10,
    maxBatchBytes: 5,
    concurrency: 1,
    onFatal: error => {
      throw error
    },
    async onBatch({ records }, context) {
      for (const { offset } of records) {
        const filled = [{ key: null, value: Buffer.from(`filled ${offset}`) }]
        await context.commitWith(offset + 1, `up to ${offset + 1}`, new Map([['filled', filled]]))
        say(`${offset}.`)
      }
      return { kind: 'done' }
    },
  })
  for (;;) await log.append('spans', [{ key: null, value: Buffer.from('span') }])
}
