// The OTLP listeners.
import type { ServiceTools } from '@svc-server/service'
import { type ClientFront, type ClientFrontConfig, createClientFront } from '@svc-server/service/connections'

export const createGatewayFront = (config: ClientFrontConfig, tools: Pick<ServiceTools, 'metrics' | 'logger'>): ClientFront =>
  createClientFront({ name: 'gateway', config, tools })
