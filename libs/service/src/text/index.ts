export { isSecretName, redactText } from './secrets.ts'
