// Measures the time for authenticating a known and an unknown credential. Also measures how long the embedded store blocks the event loop.
// Run: node libs/relational/bench/authentication.bench.ts
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthenticator } from '../src/authentication/authenticator.ts'
import { createKeyStore } from '../src/keys/key-store.ts'
import { openRelationalStore } from '../src/store/store.ts'

const hits = 300_000
const misses = 2_000

const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const elapsed = async (work: () => Promise<void>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const createMs = await elapsed(async () => (await openRelationalStore({ kind: 'embedded', directory })).close())
const reopenStart = performance.now()
const store = await openRelationalStore({ kind: 'embedded', directory })
const reopenMs = performance.now() - reopenStart

const keys = createKeyStore(store, { salt: 'bench-bench' })
await keys.ensureProject({ orgId: 'o', projectId: 'p' })
const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'p' } })
const header = (secret: string) => `Basic ${Buffer.from(`${publicKey}:${secret}`).toString('base64')}`

const authenticate = createAuthenticator(keys)
const known = header(secretKey)
for (let i = 0; i < hits / 10; i += 1) await authenticate(known)
const hitMs = await elapsed(async () => {
  for (let i = 0; i < hits; i += 1) await authenticate(known)
})
const guess = async (i: number) => authenticate(header(`sk-svc-wrong-${i}`)).catch(() => {})
for (let i = 0; i < misses / 4; i += 1) await guess(-1 - i)
const missMs = await elapsed(async () => {
  for (let i = 0; i < misses; i += 1) await guess(i)
})
await store.close()
await rm(directory, { recursive: true })

const figures = {
  machine: `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`,
  createMs: Math.round(createMs),
  reopenMs: Math.round(reopenMs),
  hitMicroseconds: Number(((hitMs * 1000) / hits).toFixed(2)),
  unknownCredentialMicroseconds: Math.round((missMs * 1000) / misses),
}
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
