export {
  type Authenticate,
  type AuthenticationEvent,
  type AuthenticatorOptions,
  authenticationEvents,
  createAuthenticator,
} from './authentication/authenticator.ts'
export { type CatalogueLoadOptions, loadCatalogueSnapshot } from './catalogue/load-catalogue.ts'
export { createKeyStore, idPattern, type KeyStoreOptions } from './keys/key-store.ts'
export type {
  CreatedKeyPair,
  EnsuredProject,
  FirstProject,
  KeyChange,
  KeyScope,
  KeyStore,
  KeySummary,
  NewKeyPair,
  Organization,
  Project,
} from './keys/key-types.ts'
export type { Database } from './store/database.ts'
export { openRelationalStore, type RelationalStore, type RelationalStoreOptions } from './store/store.ts'
