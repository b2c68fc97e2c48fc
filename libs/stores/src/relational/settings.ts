import { idPattern } from '@svc-server/relational/project-ids'
import { setting, type ValuesOf } from '@svc-server/service/configuration'

const protocols = ['postgres', 'postgresql'] as const

export const databaseUrl = setting.url({
  env: 'DATABASE_URL',
  protocols,
  says: 'URL of a PostgreSQL database, version 15 or newer.',
})

/** Like `databaseUrl`, but for processes that can embed the relational store. */
export const optionalDatabaseUrl = setting.url({
  env: 'DATABASE_URL',
  protocols,
  optional: true,
  says: 'URL of a PostgreSQL database. If not set, the server uses the embedded database.',
})

const saltText = { env: 'SALT', valid: 'at least 16 characters', pattern: /^.{16,}$/ }

export const salt = setting.secret({
  ...saltText,
  says: 'Salt of key hashes. Use the same salt in every process. After a change, keys from v3 stop working, and the first use of every key of v4 is slow.',
})

/** Like `salt`, but for processes that can generate the salt. */
export const optionalSalt = setting.secret({
  ...saltText,
  optional: true,
  says: 'Salt of key hashes. If not set, the server creates a salt at its first start. After a change, keys from v3 stop working, and the first use of every key of v4 is slow.',
})

const id = { valid: 'letters, digits, - and _', pattern: idPattern }
const publicKey = { env: 'SVC_INIT_PROJECT_PUBLIC_KEY', valid: 'a public key', optional: true } as const
const secretKey = { env: 'SVC_INIT_PROJECT_SECRET_KEY', valid: 'a secret key', optional: true } as const

const firstProject = {
  orgId: setting.text({ env: 'SVC_INIT_ORG_ID', default: 'default-org', ...id, says: 'Id of the first project’s organization.' }),
  projectId: setting.text({
    env: 'SVC_INIT_PROJECT_ID',
    default: 'default-project',
    ...id,
    says: 'Id of the first project, which is created if it is missing.',
  }),
}

export const firstProjectSettings = {
  ...firstProject,
  publicKey: setting.text({ ...publicKey, says: 'Public key of the first project. If not set, no project is created.' }),
  secretKey: setting.secret({ ...secretKey, says: 'Secret key of the first project.' }),
}

/** Like `firstProjectSettings`, but for processes that generate the keys if these settings are not set. */
export const madeFirstProjectSettings = {
  ...firstProject,
  publicKey: setting.text({ ...publicKey, says: 'Public key of the first project. If not set, the first start creates the key.' }),
  secretKey: setting.secret({ ...secretKey, says: 'Secret key of the first project. If not set, the first start creates the key.' }),
}

export const firstUserSettings = {
  orgId: firstProject.orgId,
  userEmail: setting.text({
    env: 'SVC_INIT_USER_EMAIL',
    valid: 'an email address',
    pattern: /^\S+@\S+$/,
    optional: true,
    says: 'Email address of the first user. If the organization SVC_INIT_ORG_ID has no members, the server creates this user as its owner.',
  }),
  userPassword: setting.secret({
    env: 'SVC_INIT_USER_PASSWORD',
    valid: '8 to 256 characters',
    pattern: /^.{8,256}$/,
    optional: true,
    says: 'Password of the first user. If not set, create a sign-in link for the first user with the command svc users link.',
  }),
  userName: setting.text({ env: 'SVC_INIT_USER_NAME', valid: 'a name', optional: true, says: 'Name of the first user.' }),
}

export type FirstProjectConfig = ValuesOf<typeof firstProjectSettings>

export const firstProjectProblems = ({ publicKey, secretKey }: Pick<FirstProjectConfig, 'publicKey' | 'secretKey'>): readonly string[] =>
  (publicKey === undefined) === (secretKey === undefined)
    ? []
    : ['Set SVC_INIT_PROJECT_PUBLIC_KEY and SVC_INIT_PROJECT_SECRET_KEY together, or neither.']
