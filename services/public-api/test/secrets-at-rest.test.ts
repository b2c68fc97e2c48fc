// No table and no log line contains a secret that the API accepted or issued. The test searches for each secret as plain text, escaped as
// in JSON, percent-encoded, and in base64, base64url and hex.
import { createCipher } from '@svc-server/secrets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPerson, ownPage, password, signedInAs } from './people.ts'
import { type OpenedResources, openResources } from './resources.ts'

const adminKey = 'an-instance-key-of-tests'
let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources({ env: { ADMIN_API_KEY: adminKey } })
})
afterAll(() => opened[Symbol.asyncDispose]())

const marked = (what: string) => `sk-MARKED-${what}-0123456789`

const readable = (_: string, value: unknown) =>
  value instanceof Uint8Array ? `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('hex')}` : value

async function dump(): Promise<ReadonlyMap<string, string>> {
  const { db } = opened.store
  const tables = new Map<string, string>()
  for (const { name } of await db.introspection.getTables()) {
    const rows = await db
      .selectFrom(name as 'audit_logs')
      .selectAll()
      .execute()
    tables.set(name, JSON.stringify(rows, readable))
  }
  return tables
}

const formsOf = (secret: string) => {
  const bytes = Buffer.from(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}

test('secrets that were stored, changed, refused or issued appear nowhere in clear text', async () => {
  const secrets: string[] = [adminKey, password]
  const keep = (secret: string) => {
    secrets.push(secret)
    return secret
  }
  const { send, sendAsOrganization, api, store } = opened
  const ok = ({ status, json }: { readonly status: number; readonly json: unknown }) => {
    expect(status, JSON.stringify(json)).toBeLessThan(300)
    // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
    return json as any
  }

  const bedrock = (secret: string) => JSON.stringify({ accessKeyId: 'AKIA', secretAccessKey: keep(secret) })
  const connections = [
    { provider: 'a', adapter: 'openai', secretKey: keep(marked('openai')), extraHeaders: { authorization: keep(marked('header')) } },
    { provider: 'a', adapter: 'azure', secretKey: keep(marked('replaced')), extraHeaders: { 'api-key': keep(marked('other-header')) } },
    { provider: 'b', adapter: 'bedrock', secretKey: bedrock(marked('bedrock')), config: { region: 'eu-west-1' } },
    { provider: 'c', adapter: 'google-vertex-ai', secretKey: JSON.stringify({ private_key: keep(marked('vertex')) }) },
  ]
  for (const connection of connections) ok(await send('PUT', '/llm-connections', connection))
  const { data } = ok(await send('GET', '/llm-connections'))
  for (const { id } of data) ok(await send('POST', `/llm-connections/${id}/test`, { model: 'a/../b' }))
  ok(await send('DELETE', `/llm-connections/${data[0].id}`))
  const inUrl = `https://user:${keep(marked('url'))}@models.example.com`
  expect((await send('PUT', '/llm-connections', { ...connections[0], provider: 'd', baseURL: inUrl })).status).toBe(400)

  const bucket = {
    ...{ projectId: 'project-0', type: 'S3', bucketName: 'b', region: 'r', accessKeyId: 'AKIA', prefix: '', exportFrequency: 'daily' },
    ...{ enabled: true, forcePathStyle: false, fileType: 'JSON', exportMode: 'FULL_HISTORY' },
  }
  for (const name of ['bucket', 'changed-bucket'])
    ok(await sendAsOrganization('PUT', '/integrations/blob-storage', { ...bucket, secretAccessKey: keep(marked(name)) }))
  const badBucket = { ...bucket, secretAccessKey: keep(marked('bad-bucket')), endpoint: inUrl }
  expect((await sendAsOrganization('PUT', '/integrations/blob-storage', badBucket)).status).toBe(400)

  const chosen = { name: 'chosen', publicKey: 'pk-svc-MARKED', secretKey: keep('sk-svc-MARKED-0123456789') }
  for (const body of [{ name: 'made' }, chosen]) {
    const { secretKey } = ok(await sendAsOrganization('POST', '/projects/project-0/apiKeys', body))
    keep(secretKey)
  }
  const ofInstance = { authorization: `Bearer ${adminKey}`, body: { note: 'a' } }
  keep(ok(await api.send('POST', '/api/admin/organizations/org/apiKeys', ofInstance)).secretKey)
  const user = { userName: 'scim@example.com', name: { formatted: 'S' }, password: keep(marked('scim')) }
  ok(await sendAsOrganization('POST', '/scim/Users', user))

  const person = await addPerson(store, 'person@example.com', 'OWNER')
  const browser = await signedInAs(store, person)
  keep(String(browser['cookie']).split('=')[1]!)
  const signedIn = await api.send('POST', '/api/ui/session', {
    authorization: null,
    headers: ownPage,
    body: { email: 'person@example.com', password },
  })
  keep(/svc-session=([^;]+)/.exec(String(signedIn.headers['set-cookie']))![1]!)
  const change = { current: password, password: keep(marked('new-password')) }
  const headers = { ...browser }
  expect((await api.send('PUT', '/api/ui/me/password', { authorization: null, headers, body: change })).status).toBeLessThan(300)

  const tables = await dump()
  expect(tables.size).toBeGreaterThan(30)
  expect(tables.get('audit_logs')).toContain('llmApiKey')
  const elsewhere = new Map([...tables, ['lines of the log', api.logLines.join('\n')]])
  for (const [place, text] of elsewhere)
    for (const secret of secrets) for (const form of formsOf(secret)) expect(text.includes(form), `${secret} in ${place}`).toBe(false)

  // These lines check the test itself. The dump must contain a known text, and the key must decrypt the stored secret.
  const cipher = createCipher({ key: 'ab'.repeat(32) })
  expect(tables.get('llm_api_keys')).toContain('...')
  const { secret_key } = await store.db
    .selectFrom('llm_api_keys')
    .select('secret_key')
    .where('provider', '=', 'b')
    .executeTakeFirstOrThrow()
  expect(cipher.decrypt(secret_key)).toContain(marked('bedrock'))
})
