// Sends requests to user-configured addresses, such as base URLs of models and endpoints of buckets.
import { createOutbound, type Outbound } from '@svc-server/outbound'
import { mapped, setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'

const allowed = mapped(
  setting.cidrs({
    env: 'SVC_OUTBOUND_ALLOWED_RANGES',
    optional: true,
    says: 'Private addresses and networks that are allowed in the base URLs of LLM connections and in the endpoints of buckets. A loopback, link-local, private or reserved address that is not in this list is always refused. By default, no private address is allowed.',
  }),
  (ranges = []) => ranges,
)

export const outbound: Store<Outbound> = defineStore({
  name: 'Requests to addresses of users',
  variables: { allowed },
  open: async ({ allowed }) => {
    const store = createOutbound({ allowed })
    return { store, close: () => store.close() }
  },
})
