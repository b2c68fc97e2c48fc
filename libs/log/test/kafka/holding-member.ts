// A group member in its own process. The test stops and resumes this process. The member reports when it has begun a batch, and commits
// when it receives a signal.
import { createInterface } from 'node:readline'
import type { TopicSpec } from '../../src/port.ts'
import { openLog } from './open-log.ts'

const [argument, topicsJson] = process.argv.slice(2) as [string, string]
const log = await openLog(argument, JSON.parse(topicsJson) as TopicSpec[])
const told = new Promise<void>(resolve => createInterface({ input: process.stdin }).once('line', () => resolve()))

await log.consume({
  group: 'group',
  topics: ['spans'],
  minBytes: 1,
  maxWaitMs: 50,
  maxBatchBytes: 1 << 20,
  concurrency: 1,
  onFatal: error => {
    throw error
  },
  async onBatch(batch, context) {
    console.log('began')
    await told
    const filled = new Map([['filled', [{ key: null, value: Buffer.from('of the zombie') }]]])
    const outcomes = []
    for (const commit of [context.commit(batch.nextOffset, 'zombie'), context.commitWith(batch.nextOffset, 'zombie', filled)]) {
      outcomes.push(
        await commit.then(
          () => 'done',
          (error: { code?: string }) => String(error.code),
        ),
      )
    }
    console.log(`outcomes ${outcomes.join(' ')}`)
    return { kind: 'done' }
  },
})
