// Manages users of the web app.
import { parseArgs } from 'node:util'
import { organizationsOf } from '@svc-server/relational/access'
import { createMember } from '@svc-server/relational/memberships'
import { type Role, roleOf } from '@svc-server/relational/roles'
import { createLink } from '@svc-server/relational/sign-in-links'
import { type Instance, instance } from '@svc-server/relational/tenancy'
import { findUserByEmail, listUsers, removeUser, type User } from '@svc-server/relational/users'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc users create EMAIL --organization ID [--role OWNER|ADMIN|MEMBER|VIEWER|NONE] [--name NAME]
svc users list
svc users link EMAIL
svc users remove EMAIL

Create users of the web app, and sign-in links. A link signs a user in once, within 7 days, for example after a forgotten password.
The role applies to the organization and its projects; the default is MEMBER. A removed user is signed out immediately.

  --url URL   address of the web app for links, such as https://svc.example.com; default: the address of the running instance
  --json      print JSON`

const options = {
  organization: { type: 'string' },
  role: { type: 'string', default: 'MEMBER' },
  name: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
type Addressed = Values & { readonly url: string }
type Verb = (all: Instance, values: Addressed, email: string, print: CommandContext['print']) => Promise<void>

const operator = () => ({ actor: 'operator', at: new Date() }) as const

function requiredRole({ role }: Values): Role {
  const known = roleOf(role.toUpperCase())
  if (known !== role.toUpperCase()) throw new UsageError(`--role ${role}: give OWNER, ADMIN, MEMBER, VIEWER or NONE.`)
  return known
}

async function requiredUser(all: Instance, email: string): Promise<User> {
  const user = await findUserByEmail(all, email)
  if (user === undefined) throw new UsageError(`there is no user '${email}'. svc users list shows them.`)
  return user
}

async function printLink(all: Instance, user: User, { url, json }: Addressed, print: CommandContext['print']): Promise<void> {
  const { token, expiresAt } = await createLink(all, user.id, operator())
  const link = `${url.replace(/\/+$/, '')}/setup?token=${token}`
  print(
    json
      ? JSON.stringify({ id: user.id, email: user.email, link, expiresAt })
      : `${link}\n\nIt signs ${user.email} in once, until ${day(expiresAt)}.`,
  )
}

const day = (date: Date) => date.toISOString().slice(0, 16).replace('T', ' ')

const verbs: Readonly<Record<string, Verb>> = {
  async create(all, values, email, print) {
    if (!/^\S+@\S+$/.test(email)) throw new UsageError(`'${email}' is not an email address.`)
    const { organization: orgId, name } = values
    if (orgId === undefined) throw new UsageError('--organization is missing. svc keys projects lists the organizations of projects.')
    const role = requiredRole(values)
    if ((await all.find('organizations', orgId)) === undefined) throw new UsageError(`there is no organization '${orgId}'.`)
    const user = await createMember(all, operator(), { orgId, email, role, ...(name !== undefined && { name }) })
    if (user === undefined)
      throw new UsageError(`the user '${email}' already exists. To create a link for that user, run svc users link ${email}.`)
    await printLink(all, user, values, print)
  },
  async list(all, { json }, _, print) {
    const users = await Promise.all(
      (await listUsers(all)).map(async user => ({ ...user, organizations: await organizationsOf(all, user.id) })),
    )
    if (json) return print(JSON.stringify(users))
    const rows = users.map(({ id, email, name, hasPassword, createdAt, organizations }) => [
      ...[id, email, name ?? ''],
      organizations.map(({ id: orgId, role }) => `${role} of ${orgId}`).join(', '),
      ...[hasPassword ? 'password' : 'link', day(createdAt)],
    ])
    print(table(['id', 'email', 'name', 'role', 'signs in by', 'created'], rows))
  },
  async link(all, values, email, print) {
    await printLink(all, await requiredUser(all, email), values, print)
  },
  async remove(all, _, email, print) {
    const { id } = await requiredUser(all, email)
    await removeUser(all, operator(), id)
    print(`removed ${email}`)
  },
}

export const command: Command = {
  help,
  async run(args, { relational, webUrl, print }) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [name = '', email, ...rest] = positionals
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (verb === undefined) throw new UsageError(`give one of ${Object.keys(verbs).join(', ')}${name === '' ? '' : `, not '${name}'`}.`)
    const surplus = name === 'list' ? email : rest[0]
    if (surplus !== undefined) throw new UsageError(`'${surplus}' is an unexpected argument of ${name}.`)
    if (name !== 'list' && email === undefined) throw new UsageError('give the email address.')
    const url = values.url ?? webUrl ?? 'http://localhost:3000'
    await verb(instance(await relational()), { ...values, url }, email ?? '', print)
  },
}
