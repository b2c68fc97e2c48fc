// Runs an hour of load, with a fault every 20 seconds.
import { test } from 'vitest'
import { siege } from './siege-run.ts'

const seconds = Number(process.env['SVC_TEST_SIEGE_SECONDS'] ?? 3600)

test(
  `${seconds} s of load, a kill or freeze every 20 s: all is stored once, and every probe tells the truth`,
  async () => {
    await siege({ seconds, spansPerSecond: 300, faultEverySeconds: 20, seed: 9 })
  },
  (seconds + 900) * 1000,
)
