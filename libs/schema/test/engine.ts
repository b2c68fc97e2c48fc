// The real engine inside the test's process, as a port for migrations.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'
import type { ColumnStorePort } from '../src/migrations/port.ts'

export interface Engine extends ColumnStorePort {
  readonly directory: string
  close(): void
}

export async function openEngine(): Promise<Engine> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-schema-'))
  const session = new Session(directory)
  return {
    directory,
    command: async sql => session.query(sql),
    query: async <Row>(sql: string) => {
      const text = session.query(`${sql} FORMAT JSONEachRow`)
      return text === ''
        ? []
        : text
            .trimEnd()
            .split('\n')
            .map(line => JSON.parse(line) as Row)
    },
    close() {
      session.cleanup()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
