// A directory for state that is rebuilt from the log when it is lost.
import { join, resolve } from 'node:path'
import { setting } from '@svc-server/service/configuration'
import { ensurePrivateDirectory } from '@svc-server/service/files'
import { defineStore, type Store } from '@svc-server/service/store'

const path = setting.text({
  env: 'SVC_DATA_DIR',
  default: '.svc',
  valid: 'a path',
  says: 'Directory of the local state. It may be lost: it is rebuilt from the log.',
})

/** The propagator's. */
export const propagatorDirectory: Store<string> = defineStore({
  name: 'The local state',
  variables: { path },
  open: async ({ path }) => {
    const directory = resolve(path)
    ensurePrivateDirectory(directory, 'SVC_DATA_DIR')
    return { store: join(directory, 'propagator') }
  },
})
