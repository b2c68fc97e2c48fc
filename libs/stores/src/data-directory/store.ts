// The data directory, which other stores need. It is locked first, so that a second instance fails before it opens a port.
import { setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { type DataDirectory, dataDirectoryOf, lockDataDirectory } from './data-directory.ts'

export const dataDirectorySetting = setting.text({
  env: 'SVC_DATA_DIR',
  default: '.svc',
  valid: 'a path',
  says: 'Directory for all data that must survive a restart.',
})

export const dataDirectory: Store<DataDirectory> = defineStore({
  name: 'The data directory',
  variables: { path: dataDirectorySetting },
  open: async ({ path }) => {
    const locked = lockDataDirectory(dataDirectoryOf(path))
    return { store: locked, close: async () => locked.release() }
  },
})

export const lockedDataDirectory = (locked: DataDirectory): Store<DataDirectory> =>
  defineStore({
    name: 'The data directory',
    variables: { path: dataDirectorySetting },
    open: async () => ({ store: locked }),
  })
