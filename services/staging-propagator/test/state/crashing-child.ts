// The tests of the state kill this process. With the argument `fill`, the process runs in an endless loop: it appends records to the log,
// applies the records to its state, and prints its progress. With `ask`, the process brings its state up to date once and prints the state.
import { writeSync } from 'node:fs'
import { isAppError } from '@svc-server/errors'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { openTraceState } from '../../src/state/index.ts'
import { put, specs, startMs, topic, traceKeyOf, windowOf } from './world.ts'

const [work, logDirectory, stateDirectory] = process.argv.slice(2) as ['fill' | 'ask', string, string]
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)
const toStdout = (level: string) => (fields: unknown, message?: string) =>
  say({ level, message, reason: (fields as { reason?: string }).reason })
const log = await openEmbeddedLog({ directory: logDirectory, topics: specs(1) })
const logger = { info: toStdout('info'), warn: toStdout('warn'), error: toStdout('error') }
const state = await openTraceState({ directory: stateDirectory, log, logger })
say({ opened: true })

if (work === 'ask') {
  await state.catchUp(0).catch((error: unknown) => say({ failed: isAppError(error) ? error.code : String(error) }))
  say(state.size())
  await state.close()
  await log.close()
} else {
  for (let round = 0; ; round++) {
    const { highWatermark } = (await log.describe()).find(({ spec }) => spec.name === topic)!.partitions[0]!
    // Each trace has three windows. The first and the third window have the same attributes, and the second window has different
    // attributes.
    const records = Array.from({ length: 500 }, (_, i) => {
      const number = highWatermark + i
      return put(
        traceKeyOf('alpha', Math.floor(number / 3)),
        windowOf((number % 3) * 100, { endMs: startMs + number, fill: `${number % 2}`.padStart(16, '0') }),
      )
    })
    await log.append(topic, records)
    const caughtUp = state.catchUp(0)
    say({ round })
    await caughtUp
  }
}
