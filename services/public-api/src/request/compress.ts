// Compresses long responses of the web app: the tree of 10,000 observations is 700 KB uncompressed and 215 KB compressed.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answer } from '@svc-server/http/bodies'

const inPool = promisify(gzip)
const fewestCharacters = 32 * 1024
/** The compression level of gzip, from 1 to 9. Higher levels take twice the time, and the compressed response is only 10 % smaller. */
const level = 4

/**
 * Compresses the response in a thread of the pool. The response stays unchanged if the client does not accept gzip or the response is
 * short.
 */
export async function compressed(answer: Answer, acceptEncoding: string | string[] | undefined): Promise<Answer> {
  const { status, headers, body } = answer
  if (status !== 200 || body.length < fewestCharacters || !/\bgzip\b/.test(String(acceptEncoding ?? ''))) return answer
  return { status, headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' }, body: await inPool(body, { level }) }
}
