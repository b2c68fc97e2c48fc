import { newestOf } from './list.ts'
import type { SchemaState } from './state.ts'

export interface SchemaStatus {
  readonly shared: { readonly version: number | undefined; readonly dirty: boolean; readonly newest: number }
  readonly own: { readonly version: number; readonly newest: number }
}

export const statusOf = ({ shared, records }: SchemaState): SchemaStatus => ({
  shared: { ...shared, newest: newestOf('shared') },
  own: {
    version: records.findLast(({ list, state }) => list === 'own' && state === 'applied')?.version ?? 0,
    newest: newestOf('own'),
  },
})
