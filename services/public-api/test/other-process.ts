// Runs the API in a separate process, so that its responses cannot come from the memory of the test's process.
import { openDirectoryBlobs } from '@svc-server/blob-store/directory'
import { createKeyStore } from '@svc-server/relational/key-store'
import { openRelationalStore } from '@svc-server/relational/store'
import { startApi } from './api.ts'

const [url, adminKey, media] = process.argv.slice(2)
const store = await openRelationalStore({ kind: 'postgres', url: url! })
const keys = createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' })
const blobs = await openDirectoryBlobs(media!)
const { port } = await startApi({ relational: store, keys, blobs, env: { ADMIN_API_KEY: adminKey! } })
process.stdout.write(`${port}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
