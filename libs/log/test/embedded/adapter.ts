// Gives each log its own directory, and a clock that tests can move.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedLog, openEmbeddedLog } from '../../src/embedded/log.ts'
import type { LogAdapter } from '../conformance/index.ts'

export const embedded: LogAdapter = {
  name: 'embedded',
  sessionMs: 0,
  loseAnswers: null,
  async createStore() {
    const directory = await mkdtemp(join(tmpdir(), 'svc-log-'))
    let aged = 0
    return {
      open: topics => openEmbeddedLog({ directory, topics, clock: () => Date.now() + aged }),
      age: async (log, ms) => {
        aged += ms
        await (log as EmbeddedLog).maintain()
      },
      child: { module: new URL('./open-log.ts', import.meta.url).href, argument: directory },
      destroy: () => rm(directory, { recursive: true, force: true }),
    }
  },
}
