// All suites of a test run share one PostgreSQL server. Each suite has its own database. If a suite stops or kills its server, or counts
// the server's connections, the suite must start a server of its own.
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { lockFile } from '../lock-file.ts'
import { addressOfShared } from '../shared-server.ts'
import { sharedPostgresSocket } from './config.ts'
import { startPostgres } from './server.ts'

/** Maximum time to wait for the lock. It must be shorter than the time limit of a test hook. */
const lockTimeoutMs = 120_000

export interface TestDatabase {
  /** postgres://svc:…@127.0.0.1:…/… */
  readonly url: string
  /** Deletes the database, if it still exists, and closes its connections. */
  remove(): Promise<void>
}

const urlOf = (server: string, database: string) => Object.assign(new URL(server), { pathname: `/${database}` }).href

async function asked<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Creates the database `name` unless it exists. Only one process creates the database, and the other processes wait. */
async function ensureModel(server: string, name: string, make: (url: string) => Promise<void>, lock: string): Promise<void> {
  const release = await lockFile(lock, lockTimeoutMs)
  try {
    await asked(server, async client => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
      if (rowCount !== 0) return
      const unfinished = `${name}_unfinished`
      await client.query(`DROP DATABASE IF EXISTS ${unfinished}`)
      await client.query(`CREATE DATABASE ${unfinished}`)
      await make(urlOf(server, unfinished))
      await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
    })
  } finally {
    release()
  }
}

/**
 * Creates a database on the shared server of the test run. Outside of a test run, starts a separate server for the database. `make` fills
 * a template once per run, and the new database is a copy of this template. All callers with the same `model` must fill the template with
 * the same data. Without `filled`, the database is empty.
 */
export async function testDatabase(filled?: { readonly model: string; make(url: string): Promise<void> }): Promise<TestDatabase> {
  const socket = sharedPostgresSocket()
  if (socket === undefined) {
    const { url, stop } = await startPostgres()
    await filled?.make(url)
    return { url, remove: stop }
  }
  const server = await addressOfShared<string>(socket)
  if (filled !== undefined) await ensureModel(server, filled.model, filled.make, `${socket}.${filled.model}.lock`)
  const name = `svc_${randomBytes(8).toString('hex')}`
  await asked(server, client => client.query(`CREATE DATABASE ${name}${filled === undefined ? '' : ` TEMPLATE ${filled.model}`}`))
  return {
    url: urlOf(server, name),
    remove: () => asked(server, async client => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  }
}
