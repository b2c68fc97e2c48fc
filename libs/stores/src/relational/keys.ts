import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import { defineStore, type Store } from '@svc-server/service/store'
import { warnOfTakenAway } from './first-project.ts'
import { relational } from './relational.ts'
import { firstProjectProblems, firstProjectSettings, salt } from './settings.ts'

export const keys: Store<KeyStore> = defineStore({
  name: 'The relational store',
  needs: { relational },
  variables: { salt, ...firstProjectSettings },
  validate: firstProjectProblems,
  open: async ({ salt, orgId, projectId, publicKey, secretKey }, { relational }, { logger }) => {
    const store = createKeyStore(relational, { salt })
    if (publicKey !== undefined && secretKey !== undefined)
      warnOfTakenAway(await store.ensureProject({ orgId, projectId, publicKey, secretKey }), publicKey, logger)
    return { store }
  },
})
