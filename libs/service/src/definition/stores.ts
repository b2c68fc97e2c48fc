export { defineStore, type Needs, type Opened, type OpenedStore, type Store, type StoreTools } from './define-store.ts'
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
