// One measured figure of the bench. Every figure stands beside its anchor, measured in the same session.

export interface Row {
  /** Number of the target in the table of performance targets. */
  readonly id: number;
  readonly name: string;
  readonly value: number;
  readonly anchor: number;
  /** What the target bounds: value by anchor, unless the name says otherwise. */
  readonly ratio: number;
  readonly target: number;
  readonly ok: boolean;
}
