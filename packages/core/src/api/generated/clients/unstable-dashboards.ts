// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { unstableErrors } from '../../core/unstable-errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateDashboardPlacementRequest, CreateDashboardRequest, Dashboard, DashboardList, DashboardPlacement, DeleteDashboardPlacementResponse, DeleteDashboardResponse, ListDashboardsRequest, UpdateDashboardPlacementRequest, UpdateDashboardRequest } from '../types/unstable-dashboards.ts'

export class DashboardsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Place a widget on a dashboard. */
  addPlacement(dashboardId: string, request: CreateDashboardPlacementRequest, requestOptions?: RequestOptions): HttpResponsePromise<DashboardPlacement> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: `/api/public/unstable/dashboards/${encodeURIComponent(dashboardId)}/placements`, body: request, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Create a dashboard. */
  create(request: CreateDashboardRequest, requestOptions?: RequestOptions): HttpResponsePromise<Dashboard> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/unstable/dashboards', body: request, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Delete a dashboard. */
  delete(dashboardId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteDashboardResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/unstable/dashboards/${encodeURIComponent(dashboardId)}`, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Remove a placement from a dashboard. */
  deletePlacement(dashboardId: string, placementId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteDashboardPlacementResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/unstable/dashboards/${encodeURIComponent(dashboardId)}/placements/${encodeURIComponent(placementId)}`, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Get a dashboard. */
  get(dashboardId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Dashboard> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/unstable/dashboards/${encodeURIComponent(dashboardId)}`, errors: unstableErrors },
      requestOptions,
    )
  }

  /** List dashboards. */
  list(request: ListDashboardsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DashboardList> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/unstable/dashboards', query: { ...request }, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Change a dashboard. */
  update(dashboardId: string, request: UpdateDashboardRequest, requestOptions?: RequestOptions): HttpResponsePromise<Dashboard> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/unstable/dashboards/${encodeURIComponent(dashboardId)}`, body: request, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Move or resize a placement. */
  updatePlacement(dashboardId: string, placementId: string, request: UpdateDashboardPlacementRequest, requestOptions?: RequestOptions): HttpResponsePromise<DashboardPlacement> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/unstable/dashboards/${encodeURIComponent(dashboardId)}/placements/${encodeURIComponent(placementId)}`, body: request, errors: unstableErrors },
      requestOptions,
    )
  }
}
