// The configured first user of the web app. With embedded stores, this user always exists and signs in with a link printed at startup.
import { ensureFirstUser } from '@svc-server/relational/first-user'
import { instance } from '@svc-server/relational/tenancy'
import type { User } from '@svc-server/relational/users'
import type { ValuesOf } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { embeddedRelational } from './embedded.ts'
import { relational } from './relational.ts'
import { firstUserSettings } from './settings.ts'

export interface FirstUserOfStart {
  /** The first user. Undefined if no first user is configured, or if the organization already has users. */
  readonly user: User | undefined
}

type Config = ValuesOf<typeof firstUserSettings>

const made = { email: 'owner@localhost', name: 'Owner' }

const given = ({ orgId, userPassword, userName }: Config, email: string, name = userName) => ({
  ...{ orgId, email },
  ...(name !== undefined && { name }),
  ...(userPassword !== undefined && { password: userPassword }),
})

const byOperator = () => ({ actor: 'operator', at: new Date() }) as const

const problems = ({ userEmail, userPassword, userName }: Config): readonly string[] =>
  userEmail === undefined && (userPassword !== undefined || userName !== undefined)
    ? ['SVC_INIT_USER_EMAIL is not set, but SVC_INIT_USER_PASSWORD or SVC_INIT_USER_NAME is. Set SVC_INIT_USER_EMAIL, too.']
    : []

export const firstUser: Store<FirstUserOfStart> = defineStore({
  name: 'The relational store',
  needs: { relational },
  variables: firstUserSettings,
  validate: problems,
  open: async (config, { relational }) => {
    const { userEmail } = config
    if (userEmail === undefined) return { store: { user: undefined } }
    return { store: { user: await ensureFirstUser(instance(relational), byOperator(), given(config, userEmail)) } }
  },
})

export const embeddedFirstUser: Store<FirstUserOfStart> = defineStore({
  name: 'The relational store',
  needs: { relational: embeddedRelational },
  variables: firstUserSettings,
  validate: problems,
  open: async (config, { relational }) => {
    const { userEmail = made.email, userName = config.userEmail === undefined ? made.name : undefined } = config
    return { store: { user: await ensureFirstUser(instance(relational), byOperator(), given(config, userEmail, userName)) } }
  },
})
