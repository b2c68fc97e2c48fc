import { parseArgs } from 'node:util'
import type { CreatedKeyPair, KeyStore, KeySummary } from '@svc-server/relational/key-types'
import { reencryptSecrets } from '@svc-server/relational/reencryption'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc keys create-organization --name NAME [--id ID]
svc keys create-project --organization ID --name NAME [--id ID]
svc keys create (--project ID | --organization ID) [--note TEXT] [--expires DATE]
svc keys list [--project ID | --organization ID]
svc keys projects
svc keys revoke ID_OR_PUBLIC_KEY
svc keys rotate-encryption

The key pair of a project can send spans; the key pair of an organization cannot. A secret key is printed only when it is created, because
only its hash is stored. This instance refuses a revoked key immediately, and other processes within 30 seconds.

rotate-encryption encrypts the stored secrets of connections and integrations with ENCRYPTION_KEY. Until it has run, keep the previous key in
ENCRYPTION_KEYS_PREVIOUS of every process; then remove it.

  --json   print JSON`

const options = {
  id: { type: 'string' },
  name: { type: 'string' },
  organization: { type: 'string' },
  project: { type: 'string' },
  note: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
type Verb = (keys: KeyStore, values: Values, rest: readonly string[], print: CommandContext['print']) => Promise<void>

const operator = () => ({ actor: 'operator', at: new Date() }) as const

const required = (values: Values, name: 'name' | 'organization'): string => {
  const value = values[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`)
  return value
}

function ownerOf({ project, organization }: Values): { projectId: string } | { orgId: string } | undefined {
  if (project !== undefined && organization !== undefined) throw new UsageError('give --project or --organization, not both.')
  if (project !== undefined) return { projectId: project }
  return organization === undefined ? undefined : { orgId: organization }
}

function expiryOf({ expires }: Values): Date | undefined {
  if (expires === undefined) return undefined
  const date = new Date(expires)
  if (Number.isNaN(date.getTime())) throw new UsageError(`--expires ${expires}: give a date such as 2027-01-31 or 2027-01-31T12:00:00Z.`)
  if (date.getTime() <= Date.now()) throw new UsageError(`--expires ${expires} is in the past: give a later time.`)
  return date
}

const printPair = (pair: CreatedKeyPair, json: boolean): string =>
  json ? JSON.stringify(pair) : `public key  ${pair.publicKey}\nsecret key  ${pair.secretKey}\n\nThe secret key is not shown again.`

const day = (date: Date | null) => date?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'

function stateOf({ revokedAt, expiresAt }: KeySummary): string {
  if (revokedAt) return `revoked ${day(revokedAt)}`
  if (!expiresAt) return 'valid'
  return `${expiresAt.getTime() <= Date.now() ? 'expired' : 'until'} ${day(expiresAt)}`
}

const verbs: Readonly<Record<string, Verb>> = {
  async 'create-organization'(keys, values, _, print) {
    const made = await keys.createOrganization({ name: required(values, 'name'), ...(values.id !== undefined && { id: values.id }) })
    print(values.json ? JSON.stringify(made) : `organization ${made.id}`)
  },
  async 'create-project'(keys, values, _, print) {
    const orgId = required(values, 'organization')
    const made = await keys.createProject({ orgId, name: required(values, 'name'), ...(values.id !== undefined && { id: values.id }) })
    print(values.json ? JSON.stringify(made) : `project ${made.id}`)
  },
  async create(keys, values, _, print) {
    const owner = ownerOf(values)
    if (!owner) throw new UsageError('give --project ID or --organization ID. svc keys projects lists the projects.')
    const expiresAt = expiryOf(values)
    const pair = await keys.createKeyPair({
      ...{ owner, by: operator() },
      ...(values.note !== undefined && { note: values.note }),
      ...(expiresAt && { expiresAt }),
    })
    print(printPair(pair, values.json))
  },
  async list(keys, values, _, print) {
    const all = await keys.listKeys(ownerOf(values))
    if (values.json) return print(JSON.stringify(all))
    const rows = all.map(key => [
      key.id,
      key.publicKey,
      key.displaySecretKey,
      key.projectId ?? `organization ${key.orgId}`,
      day(key.createdAt),
      stateOf(key),
      key.note ?? '',
    ])
    print(table(['id', 'public key', 'secret key', 'owner', 'created', 'state', 'note'], rows))
  },
  async projects(keys, values, _, print) {
    const projects = await keys.listProjects()
    if (values.json) return print(JSON.stringify(projects))
    print(
      table(
        ['id', 'organization', 'name', 'created'],
        projects.map(each => [each.id, each.orgId, each.name, day(each.createdAt)]),
      ),
    )
  },
  async revoke(keys, _, [key], print) {
    if (key === undefined) throw new UsageError('give the id or the public key to revoke.')
    if (!(await keys.revoke(key, operator()))) throw new UsageError(`there is no valid key '${key}'. svc keys list shows them.`)
    print(`revoked ${key}`)
  },
}

async function rotateEncryption({ relational, encryption, print }: CommandContext, { json }: Values): Promise<void> {
  const cipher = await encryption?.()
  if (cipher === undefined) throw new UsageError('rotate-encryption needs the stores: run it where the services run.')
  const again = (text: string) => (cipher.isCurrent(text) ? undefined : cipher.encrypt(cipher.decrypt(text)))
  const { checked, changed } = await reencryptSecrets(await relational(), again)
  print(json ? JSON.stringify({ checked, changed }) : `${changed} of ${checked} secrets encrypted with the current key`)
}

export const command: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [name = '', ...rest] = positionals
    if (name === 'rotate-encryption' && rest.length === 0) return rotateEncryption(context, values)
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (!verb)
      throw new UsageError(`give one of ${[...Object.keys(verbs), 'rotate-encryption'].join(', ')}${name === '' ? '' : `, not '${name}'`}.`)
    const named = name === 'revoke' ? 1 : 0
    if (rest.length > named) throw new UsageError(`'${rest[named]}' is an unexpected argument of ${name}.`)
    await verb(await context.keys(), values, rest, context.print)
  },
}
