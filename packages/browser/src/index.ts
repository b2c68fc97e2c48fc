// Sends scores from a browser with only the public key.
export {
  SvcBrowserClient,
  type SvcBrowserClientOptions,
  type SvcBrowserScoreBody,
  type SvcBrowserScoreResult,
  SvcScoreDataType,
} from './client.ts'
export { SvcBrowserError } from './error.ts'
