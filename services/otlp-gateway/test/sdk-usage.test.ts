import { AppError } from '@svc-server/errors'
import { decodeSdkUsage } from '@svc-server/schema/sdk-usage'
import { expect, test } from 'vitest'
import { startGateway, type TestGateway } from './gateway.ts'
import { requestOf, span } from './requests.ts'

async function said({ log }: TestGateway) {
  const found = []
  for (const { partition } of (await log.describe()).find(({ spec }) => spec.name === 'sdk.usage')!.partitions) {
    for (const { value } of (await log.read('sdk.usage', partition, 0, 1e6)).records) found.push(decodeSdkUsage(value!))
  }
  return found.map(({ projectId, sdkName, sdkVersion, path, requests, spans }) => [projectId, sdkName, sdkVersion, path, requests, spans])
}

const python = (version: string) => ({ x_svc_sdk_name: 'python', x_svc_sdk_version: version })
const body = requestOf(span(), span())

test('counts accepted requests by path and those refused by the SDK gate, but none with an unknown key or an invalid body', async () => {
  await using gateway = await startGateway()
  await gateway.send('/v1/traces', { headers: python('4.7.0'), body })
  await gateway.send('/v1/traces', { headers: python('4.7.0'), body })
  await gateway.send('/v1/traces', { headers: { ...python('4.7.0'), 'x-svc-ingestion-version': '3' }, body })
  await gateway.send('/v1/traces', { headers: python('2.60.10'), body })
  await gateway.send('/v1/traces', { headers: { ...python('1.0.0'), authorization: 'Basic eDp5' }, body })
  await gateway.send('/v1/traces', { headers: python('4.7.0'), body: Buffer.from('not a request') })
  await gateway.gateway.drain()
  expect((await said(gateway)).sort()).toEqual([
    ['project-0', 'python', '2.60.10', 'refused', 1, 0],
    ['project-0', 'python', '4.7.0', 'direct', 2, 4],
    ['project-0', 'python', '4.7.0', 'staged', 1, 2],
  ])
})

test('no request fails while the log rejects usage records, and the next append has the full counts', async () => {
  let down = true
  await using gateway = await startGateway({
    log: real => ({
      async append(topic, records) {
        if (down && topic === 'sdk.usage') throw new AppError('log_unavailable', 'down')
        return real.append(topic, records)
      },
    }),
  })
  expect((await gateway.send('/v1/traces', { headers: python('4.7.0'), body })).status).toBe(200)
  await gateway.gateway.drain()
  expect(await said(gateway)).toEqual([])
  expect(gateway.logLines.filter(line => line.includes('SDK usage could not be appended'))).toHaveLength(1)
  down = false
  await gateway.gateway.drain()
  expect(await said(gateway)).toEqual([['project-0', 'python', '4.7.0', 'direct', 1, 2]])
})
