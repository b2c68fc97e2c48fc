import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from '../../src/embedded/log.ts'
import type { TopicSpec } from '../../src/port.ts'

interface TestClock {
  nowMs: number
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-log-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function openTestLog(topics: readonly TopicSpec[], options: Partial<EmbeddedLogOptions> = {}) {
  const directory = options.directory ?? temporaryDirectory()
  const clock: TestClock = { nowMs: 1_700_000_000_000 }
  const open = async (specs = topics): Promise<EmbeddedLog> => {
    const log = await openEmbeddedLog({ directory, topics: specs, clock: () => clock.nowMs, maintenanceIntervalMs: 3_600_000, ...options })
    onTestFinished(() => log.close())
    return log
  }
  return { directory, clock, open, log: await open() }
}
