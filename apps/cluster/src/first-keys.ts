// Checks the key pair of the first start, which may be revoked, or its project deleted. The banner of a later start must not show invalid
// keys.
import type { RunningCluster } from './cluster.ts'

type Asked = Pick<RunningCluster, 'publicKey' | 'secretKey'> & { readonly apis: readonly { readonly url: string }[] }

/** Whether the public API refuses the pair. Without a response (a certificate for another name), the pair counts as valid. */
export async function areFirstKeysRefused({ apis: [api], publicKey, secretKey }: Asked): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const response = await fetch(`${api!.url}/api/public/projects`, { headers: { authorization } }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 401
}
