export {
  type AuthenticationEvent,
  type AuthenticatorOptions,
  createAuthenticator,
} from './authentication/authenticator.ts'
export { loadCatalogueSnapshot } from './catalogue/load-catalogue.ts'
export { createKeyStore } from './keys/key-store.ts'
export type {
  KeyChange,
  KeyScope,
} from './keys/key-types.ts'
export { openRelationalStore, type RelationalStore } from './store/store.ts'
