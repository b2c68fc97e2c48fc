// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { unstableErrors } from '../../core/unstable-errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateDashboardWidgetRequest, DashboardWidget, DashboardWidgetList, DeleteDashboardWidgetResponse, ListDashboardWidgetsRequest, UpdateDashboardWidgetRequest } from '../types/unstable-dashboard-widgets.ts'

export class DashboardWidgetsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a dashboard widget. */
  create(request: CreateDashboardWidgetRequest, requestOptions?: RequestOptions): HttpResponsePromise<DashboardWidget> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/unstable/dashboard-widgets', body: request, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Delete a dashboard widget. */
  delete(widgetId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteDashboardWidgetResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/unstable/dashboard-widgets/${encodeURIComponent(widgetId)}`, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Get a dashboard widget. */
  get(widgetId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DashboardWidget> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/unstable/dashboard-widgets/${encodeURIComponent(widgetId)}`, errors: unstableErrors },
      requestOptions,
    )
  }

  /** List dashboard widgets. */
  list(request: ListDashboardWidgetsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DashboardWidgetList> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/unstable/dashboard-widgets', query: { ...request }, errors: unstableErrors },
      requestOptions,
    )
  }

  /** Change a dashboard widget. */
  update(widgetId: string, request: UpdateDashboardWidgetRequest, requestOptions?: RequestOptions): HttpResponsePromise<DashboardWidget> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/unstable/dashboard-widgets/${encodeURIComponent(widgetId)}`, body: request, errors: unstableErrors },
      requestOptions,
    )
  }
}
