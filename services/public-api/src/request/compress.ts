// Compresses long responses of the web app: the tree of 10,000 observations shrinks from 700 KB to 215 KB.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answer } from '@svc-server/http/bodies'

const inPool = promisify(gzip)
const fewestCharacters = 32 * 1024
/** Level of gzip, 1 to 9. Higher levels take twice the time, and the result is only 10 % smaller. */
const level = 4

/**
 * Compresses a response in a thread of Node's pool. These responses stay unchanged: short responses, responses with a status other than
 * 200, and responses to clients without gzip.
 */
export async function compressed(answer: Answer, acceptEncoding: string | string[] | undefined): Promise<Answer> {
  const { status, headers, body } = answer
  if (status !== 200 || body.length < fewestCharacters || !/\bgzip\b/.test(String(acceptEncoding ?? ''))) return answer
  return { status, headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' }, body: await inPool(body, { level }) }
}
