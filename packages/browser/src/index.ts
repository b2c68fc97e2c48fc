// Sends scores from a browser, by the public key alone.
export {
  SvcBrowserClient,
  type SvcBrowserClientOptions,
  type SvcBrowserScoreBody,
  type SvcBrowserScoreResult,
  SvcScoreDataType,
} from './client.ts'
export { SvcBrowserError } from './error.ts'
