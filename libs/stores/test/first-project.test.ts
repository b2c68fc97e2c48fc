import { PassThrough } from 'node:stream'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { RelationalStore } from '@svc-server/relational/store'
import { openEmbeddedTestStore } from '@svc-server/relational/test-stores'
import { loadSettings } from '@svc-server/service/configuration'
import { createLogger } from '@svc-server/service/logs'
import type { Store } from '@svc-server/service/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedFirstProject } from '../src/relational/embedded.ts'
import { keys } from '../src/relational/keys.ts'

const salt = 'pepper-pepper-pepper'
const secrets = { salt, columnStorePassword: 'a-password-for-tests', publicKey: 'pk-svc-made', secretKey: 'sk-svc-made' }

let relational: RelationalStore
beforeAll(async () => {
  relational = await openEmbeddedTestStore()
})
afterAll(async () => {
  await relational.close()
})

/** Resolves with the lines of the log. */
async function start(store: Store<unknown>, env: Readonly<Record<string, string>>): Promise<string> {
  const destination = new PassThrough()
  const logger = createLogger({ service: 'test', level: 'warn', pretty: false, destination })
  const settings = loadSettings([store.variables], { SALT: salt, ...env }, { service: 'test' })
  await store.open(
    settings,
    { relational, keys: createKeyStore(relational, { salt }), directory: { secrets } },
    { logger, process: 'test' },
  )
  return String(destination.read() ?? '')
}

const set = (name: string) => ({
  SVC_INIT_PROJECT_ID: name,
  SVC_INIT_PROJECT_PUBLIC_KEY: `pk-svc-${name}`,
  SVC_INIT_PROJECT_SECRET_KEY: `sk-svc-${name}`,
})

test.each([
  [
    'that was created at the first start',
    embeddedFirstProject,
    {},
    'pk-svc-made',
    'svc keys create --project default-project creates a new key pair',
  ],
  ['of the variables', embeddedFirstProject, set('one'), 'pk-svc-one', 'SVC_INIT_PROJECT_PUBLIC_KEY: key pk-svc-one was revoked'],
  ['of a gateway’s variables', keys, set('two'), 'pk-svc-two', 'SVC_INIT_PROJECT_PUBLIC_KEY: key pk-svc-two was revoked'],
])('warns about a revoked key %s', async (_, store, env, publicKey, warning) => {
  expect(await start(store, env)).toBe('')
  await createKeyStore(relational, { salt }).revoke(publicKey)
  expect(await start(store, env)).toContain(warning)
})

test.each([
  ['of an instance', embeddedFirstProject, 'three'],
  ['of a gateway’s variables', keys, 'four'],
])('warns about a deleted project %s', async (_, store, name) => {
  expect(await start(store, set(name))).toBe('')
  const at = new Date()
  await relational.db.updateTable('projects').set({ deleted_at: at }).where('id', '=', name).execute()
  expect(await start(store, set(name))).toContain(`Project ${name} was deleted, and its id cannot be reused`)
})

test('still rejects a key of another project', async () => {
  await start(keys, set('five'))
  await expect(start(keys, { ...set('five'), SVC_INIT_PROJECT_ID: 'six' })).rejects.toMatchObject({ code: 'config_invalid' })
})
