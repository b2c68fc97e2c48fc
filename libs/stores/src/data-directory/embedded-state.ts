// The same state in the data directory of the standalone.
import { defineStore, type Store } from '@svc-server/service/store'
import { dataDirectory } from './store.ts'

export const embeddedPropagatorDirectory: Store<string> = defineStore({
  name: 'The local state',
  needs: { directory: dataDirectory },
  variables: {},
  open: async (_, { directory }) => ({ store: directory.paths.propagator }),
})
