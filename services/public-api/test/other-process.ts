// The API on a PostgreSQL server of a suite, in a process of its own: what a suite wrote is read without anything that it has in memory.
import { createKeyStore } from '@svc-server/relational/key-store'
import { openRelationalStore } from '@svc-server/relational/store'
import { startApi } from './api.ts'

const [url, adminKey] = process.argv.slice(2)
const store = await openRelationalStore({ kind: 'postgres', url: url! })
const keys = createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' })
const { port } = await startApi({ relational: store, keys, env: { ADMIN_API_KEY: adminKey! } })
process.stdout.write(`${port}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
