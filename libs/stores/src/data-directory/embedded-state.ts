import { defineStore, type Store } from '@svc-server/service/store'
import type { LocalState } from './local-state.ts'
import { dataDirectory } from './store.ts'

export const embeddedLocalState: Store<LocalState> = defineStore({
  name: 'The local state',
  needs: { directory: dataDirectory },
  variables: {},
  open: async (_, { directory: { paths } }) => ({ store: { propagator: paths.propagator, merger: paths.merger } }),
})
