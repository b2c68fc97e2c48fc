// Opens the real engine in the process of the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'
import type { ColumnStorePort } from '../src/migrations/port.ts'

export interface Engine extends ColumnStorePort {
  readonly directory: string
  close(): void
}

/** If `grants` is given, the user has only these grants. A process has one engine, so each test with `grants` needs its own file. */
export async function openEngine({ grants }: { grants?: readonly string[] } = {}): Promise<Engine> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-schema-'))
  const session = grants === undefined ? new Session(directory) : restrictedSession(directory, grants)
  return {
    directory,
    command: async sql => session.query(sql),
    ask: async sql => session.query(sql),
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

function restrictedSession(directory: string, grants: readonly string[]): Session {
  const [config, users, data] = ['config.xml', 'users.xml', 'data'].map(name => join(directory, name)) as [string, string, string]
  mkdirSync(data)
  writeFileSync(config, `<clickhouse><users_config>${users}</users_config></clickhouse>`)
  writeFileSync(
    users,
    `<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default>
       <password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
       <grants>${grants.map(grant => `<query>${grant}</query>`).join('')}</grants>
     </default></users></clickhouse>`,
  )
  return new Session(data, { connectionArgs: [`--config-file=${config}`] })
}
