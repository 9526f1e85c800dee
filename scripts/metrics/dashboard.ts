// The types of a dashboard, according to Grafana's SDK for TypeScript (used by
// the script "schema").
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import type * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import type * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import type * as stat from "@grafana/grafana-foundation-sdk/stat";
import type * as table from "@grafana/grafana-foundation-sdk/table";
import type * as timeseries from "@grafana/grafana-foundation-sdk/timeseries";

// The type T in JSON: with the values of enumerations, and without methods.
type Json<T> =
  T extends string ? `${T}`
  : T extends number ? (`${T}` extends `${infer N extends number}` ? N : T)
  : T extends (infer Part)[] ? Json<Part>[]
  : T extends object
    ? { [K in keyof T as T[K] extends Function ? never : K]: Json<T[K]> }
  : T;

// The type T as a part of a dashboard: any member may be absent, because
// Grafana has defaults.
type Some<T> =
  T extends (infer Part)[] ? Some<Part>[]
  : T extends object ? { [K in keyof T]?: Some<T[K]> }
  : T;

// A panel of type Name, whose queries Prometheus answers.  The SDK does not
// say which Options, and which Custom settings of fields, belong to a type of
// panel.
type Panel<Name extends string, Options, Custom> =
  Omit<Json<dashboard.Panel>, "type" | "options" | "targets" | "fieldConfig">
  & {
    type: Name;
    options?: Some<Json<Options>>;
    targets: Json<prometheus.Dataquery>[];
    fieldConfig: {
      defaults: Omit<Json<dashboard.FieldConfig>, "custom">
        & { custom?: Some<Json<Custom>> };
      overrides: Json<dashboard.FieldConfigSource["overrides"]>;
    };
  };

export type Dashboard = Omit<Json<dashboard.Dashboard>, "panels"> & {
  panels: (
    Panel<"stat", stat.Options, {}>
    | Panel<"table", table.Options, table.FieldConfig>
    | Panel<"timeseries", timeseries.Options, timeseries.FieldConfig>
  )[];
};
