/** Epoch milliseconds: `from` is in the window, `to` is behind it. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}
