export { defineStore, type Needs, type Store } from './define-store.ts'
export {
  createStores,
  type Replacements,
  replaced,
  type Stores,
  type StoresOptions,
  storeProblems,
  storeSettings,
  storesOf,
} from './open-stores.ts'
