// The key pair of the first start can be revoked, or its project deleted: the banner of a later start must not
// show one that gives no access.
import type { RunningCluster } from './cluster.ts'

type Asked = Pick<RunningCluster, 'publicKey' | 'secretKey'> & { readonly apis: readonly { readonly url: string }[] }

/** Whether the public API knows the pair no more. Without an answer (a certificate for another name) it is taken for valid. */
export async function areFirstKeysRefused({ apis: [api], publicKey, secretKey }: Asked): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const response = await fetch(`${api!.url}/api/public/projects`, { headers: { authorization } }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 401
}
