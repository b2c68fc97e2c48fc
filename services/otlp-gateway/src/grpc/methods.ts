// The served gRPC methods, by path (opentelemetry-proto, collector; grpc.health.v1).
import type { Endpoint } from '../http/paths.ts'

const collector = '/opentelemetry.proto.collector'

const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  [`${collector}.trace.v1.TraceService/Export`, 'traces'],
  [`${collector}.metrics.v1.MetricsService/Export`, 'metrics'],
  [`${collector}.logs.v1.LogsService/Export`, 'logs'],
  ['/grpc.health.v1.Health/Check', 'health'],
])

export const methodOf = (path: string | undefined): Endpoint | undefined => endpoints.get(path ?? '')
