// Directories for state that can be rebuilt from the log.
import { join, resolve } from 'node:path'
import { setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { ensureOwnDirectory } from './own-directory.ts'

export interface LocalState {
  readonly propagator: string
  readonly merger: string
}

const path = setting.text({
  env: 'SVC_DATA_DIR',
  default: '.svc',
  valid: 'a path',
  says: 'Directory of the local state. You can delete this directory, because the process rebuilds the state from the log.',
})

export const localState: Store<LocalState> = defineStore({
  name: 'The local state',
  variables: { path },
  open: async ({ path }) => {
    const directory = resolve(path)
    ensureOwnDirectory(directory, 'SVC_DATA_DIR')
    return { store: { propagator: join(directory, 'propagator'), merger: join(directory, 'merger') } }
  },
})
