export {
  type Authenticate,
  type AuthenticationEvent,
  type AuthenticatorOptions,
  authenticationEvents,
  createAuthenticator,
} from './authentication/authenticator.ts'
export { loadCatalogueSnapshot } from './catalogue/load-catalogue.ts'
export { createKeyStore, idPattern } from './keys/key-store.ts'
export type {
  CreatedKeyPair,
  KeyChange,
  KeyScope,
  KeyStore,
} from './keys/key-types.ts'
export { openRelationalStore, type RelationalStore } from './store/store.ts'
